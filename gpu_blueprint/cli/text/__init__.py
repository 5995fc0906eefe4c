"""Output of the commands: tables, trees, sentences and documents."""
