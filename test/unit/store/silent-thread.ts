import { parentPort } from 'node:worker_threads'

// A thread that takes every message and answers none.
parentPort?.on('message', () => {})
