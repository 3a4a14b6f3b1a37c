"""The parts of tools/generate.py and tools/generate_mpi.py."""
