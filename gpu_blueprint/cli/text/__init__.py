"""The output of the commands: tables, trees, sentences and documents."""
