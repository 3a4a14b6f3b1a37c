"""Rows on recording: calls, processes, whole programs, GPUs, the agent and the shipper."""
