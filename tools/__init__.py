"""The only programs of this project that go to the network: each rebuilds a catalogue from AWS's own APIs."""
