"""Programs that rebuild the catalogue from AWS's own APIs; besides them only ``preflight`` goes to the network."""
