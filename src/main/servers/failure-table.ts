export interface FailureRule {
  pattern: RegExp
  /** One sentence for the person; may use the match's groups. */
  cause: string | ((match: RegExpExecArray) => string)
  remedy: string
  /** Only says that something else went wrong: used where nothing better is found. */
  wrapper?: boolean
}

export const KILLED_REMEDY =
  'Somebody, or the host for want of memory, ended it: look at dmesg, and at memory while it loads (--max-parallel-loading-workers).'

/**
 * docs/vllm.md 5.2 (phrases from vLLM's own source and issue threads) and what a real vLLM 0.32 on CPU says. The first rule that fits a line wins.
 * What stands between two words is bounded: `.*` would look at the rest of the line again from each place where the first one stands.
 */
export const FAILURES: FailureRule[] = [
  // command line
  {
    pattern: /error: unrecognized arguments: (.{0,300})/i,
    cause: (m) => `vLLM does not know the argument ${firstWords(m[1])}`,
    remedy: 'Correct or remove it; this version of vLLM may not have it (vllm serve --help=all lists what it has).',
  },
  {
    pattern: /error: argument (\S{1,200}): (invalid choice|invalid .{0,300}value|expected .{0,300}argument).{0,300}/i,
    cause: (m) => `vLLM refuses the value of ${m[1] ?? 'an argument'} (${(m[2] ?? '').slice(0, 80)})`,
    remedy: 'Correct the value; vllm serve --help=all shows what is allowed.',
  },
  {
    pattern: /error: (?:ambiguous option|argument) .{0,300}/i,
    cause: 'vLLM refuses an argument',
    remedy: 'Correct the argument named below.',
  },
  {
    pattern: /invalid (tool call|reasoning) parser/i,
    cause: (m) => `this vLLM has no such ${m[1] ?? ''} parser`,
    remedy: 'Take a parser that this version lists.',
  },
  {
    pattern: /enable-auto-tool-choice requires --tool-call-parser/i,
    cause: '--enable-auto-tool-choice needs --tool-call-parser',
    remedy: 'Add --tool-call-parser.',
  },
  // port
  {
    pattern: /Address already in use|port \d+ is (?:used by process|already in use)/i,
    cause: 'the port is in use by another process',
    remedy: 'Leave --port out (a free one is chosen), or give another one.',
  },
  // model
  {
    pattern: /GatedRepoError|gated repo|Access to model .{0,300} is restricted/i,
    cause: 'the model is gated and the host has no token that may read it',
    remedy: 'Accept the licence on the model page and set HF_TOKEN.',
  },
  {
    pattern: /403 Client Error|awaiting a review/i,
    cause: "the token is fine, but the model's licence is not accepted yet",
    remedy: 'Accept the licence on the model page and wait for the approval.',
  },
  {
    pattern: /HFValidationError|Repo id must (?:be in the form|use alphanumeric)|Invalid repository ID or local directory/i,
    cause: 'the model was not found: it is neither a folder on the host nor a valid model id',
    remedy: 'Check the path on the host (not on your machine), or give a model id such as Qwen/Qwen3-8B.',
  },
  {
    pattern: /does not appear to have a file named config\.json|no file named config\.json/i,
    cause: 'the model folder has no config.json',
    remedy: 'Check the path on the host; the folder must hold config.json, tokenizer and weights.',
  },
  {
    pattern: /RepositoryNotFoundError|is not a valid model identifier|is not a local folder|404 Client Error/i,
    cause: 'the model was not found on the Hugging Face hub (wrong id, or private)',
    remedy: 'Check the model id; for a private model set HF_TOKEN.',
  },
  {
    pattern:
      /LocalEntryNotFoundError|OfflineModeIsEnabled|couldn't connect to .{0,300}hugg?ing ?face|Cannot find the requested files in the (?:disk|local) cache/i,
    cause: 'the model is not on the host, and it could not be downloaded (no internet, or offline mode)',
    remedy: 'Download it on the host beforehand, set HF_ENDPOINT or a proxy, or unset HF_HUB_OFFLINE.',
  },
  {
    pattern: /429 Client Error|Too Many Requests/i,
    cause: 'the Hugging Face hub limits the rate of downloads',
    remedy: 'Set HF_TOKEN, or try again later.',
  },
  {
    pattern: /Model architectures? .{0,300} (?:are|is) not supported(?: for now)?/i,
    cause: "this vLLM does not support the model's architecture",
    remedy: 'Update vLLM, or try --model-impl transformers.',
  },
  {
    pattern: /Model architectures? .{0,300} failed to be inspected/i,
    cause: "the model's code could not be imported",
    remedy: 'Read the trace above it in the log.',
  },
  {
    pattern: /was supported in vLLM until v|not supported in-tree anymore/i,
    cause: 'this vLLM no longer supports the model',
    remedy: 'Use an older vLLM, or the plugin the message names.',
  },
  {
    pattern: /does not recognize this architecture/i,
    cause: 'the installed transformers is too old for the model',
    remedy: 'Update transformers in the environment.',
  },
  {
    pattern:
      /requires you to execute the .{0,300}code|contains custom code.{0,300}trust.remote.code|set the option `?trust_remote_code/i,
    cause: 'the model needs code of its own',
    remedy: 'If you trust it, add --trust-remote-code.',
  },
  {
    pattern: /greater than the derived max_model_len/i,
    cause: '--max-model-len is beyond what the model was made for',
    remedy: 'Lower it, or extend the model by --hf-overrides (RoPE).',
  },
  // parallelism
  {
    pattern: /World size \(?(\d+)\)? is larger than the number of available GPUs/i,
    cause: (m) => `the command wants ${m[1] ?? 'more'} GPUs, the host has fewer`,
    remedy: 'Lower --tensor-parallel-size × --pipeline-parallel-size.',
  },
  {
    pattern: /must be divisible by tensor parallel size|attention heads .{0,300}not divisible by|is not divisible by/i,
    cause: "the model's head count can't be divided by --tensor-parallel-size",
    remedy: 'Take a tensor parallel size that divides the number of attention heads (1, 2, 4, 8).',
  },
  {
    pattern: /NCCL error|ncclSystemError|ncclUnhandledCudaError|DistBackendError/,
    cause: 'the GPUs could not talk to each other (NCCL)',
    remedy: 'Try NCCL_DEBUG=INFO to see why, NCCL_P2P_DISABLE=1 to work around it.',
  },
  {
    pattern:
      /Error while creating shared memory segment|No space left on device.{0,300}\/dev\/shm|\/dev\/shm.{0,300}(?:full|space|small)|Bus error/i,
    cause: 'shared memory (/dev/shm) is too small',
    remedy: 'In a container: --ipc=host or --shm-size 16g.',
  },
  // memory
  {
    pattern: /max seq len \((\d{1,12})\)(?:.{0,400}?estimated maximum model length is (\d{1,12}))?/i,
    cause: (m) =>
      `the KV cache has no room for one request of ${m[1] ?? '?'} tokens${m[2] === undefined ? '' : `; about ${m[2]} would fit`}`,
    remedy:
      'Lower --max-model-len (or say auto), raise --gpu-memory-utilization (CPU: VLLM_CPU_KVCACHE_SPACE), or use an fp8 KV cache.',
  },
  {
    pattern: /No available memory for the cache blocks/i,
    cause: 'no memory is left for the KV cache after loading the model',
    remedy: 'Raise --gpu-memory-utilization or --tensor-parallel-size, shorten --max-model-len, or use an fp8 KV cache.',
  },
  {
    pattern: /Free memory on device .{0,300} is less than desired GPU memory utilization/i,
    cause: 'another process holds GPU memory',
    remedy: 'See who it is (nvidia-smi), free it, or lower --gpu-memory-utilization.',
  },
  {
    pattern: /Available memory on node .{0,300} is less than|Not enough (?:available )?memory.{0,300}VLLM_CPU_KVCACHE_SPACE/i,
    cause: 'the host has too little free memory for the KV cache asked for',
    remedy: 'Lower VLLM_CPU_KVCACHE_SPACE.',
  },
  {
    pattern: /Error in memory profiling|Initial free memory/i,
    cause: 'another process took or freed GPU memory during the start',
    remedy: 'Try again when nobody else uses the GPU.',
  },
  {
    pattern: /OutOfMemoryError|CUDA out of memory|HIP out of memory|Tried to allocate/i,
    cause: 'a GPU ran out of memory',
    remedy:
      'Use more GPUs or a quantized model, lower --max-num-seqs, --max-num-batched-tokens or --gpu-memory-utilization; see who else uses the GPU.',
  },
  {
    pattern: /DefaultCPUAllocator: can't allocate memory|^\S*MemoryError\b|Cannot allocate memory/,
    cause: 'the host ran out of memory',
    remedy: 'Free memory on the host, or make the KV cache smaller.',
  },
  // driver, kernels, environment
  {
    pattern:
      /driver on your system is too old|CUDA driver version is insufficient|PTX was compiled with an unsupported toolchain/i,
    cause: "the NVIDIA driver is too old for this vLLM's CUDA",
    remedy: 'Update the driver, or use an older vLLM wheel; on datacentre GPUs VLLM_ENABLE_CUDA_COMPATIBILITY=1.',
  },
  {
    pattern: /no kernel image is available for execution|is not compatible with the current PyTorch installation/i,
    cause: 'this build has no kernels for this GPU',
    remedy: 'Use a newer vLLM wheel or image that supports the GPU.',
  },
  {
    pattern: /Bfloat16 is only supported on GPUs with compute capability/i,
    cause: 'this GPU has no bfloat16',
    remedy: 'Add --dtype half.',
  },
  {
    pattern: /No valid attention backend found|Selected backend .{0,300} is not valid/i,
    cause: 'no attention backend fits the model, type and GPU',
    remedy: 'Leave --attention-backend out, or change --kv-cache-dtype.',
  },
  {
    pattern: /flash_attn.{0,300}(?:No module|not found)|No module named .?(?:flash_attn|vllm\.vllm_flash_attn)/i,
    cause: 'FlashAttention is missing in the environment',
    remedy: 'Install vLLM anew, or take --attention-backend TRITON_ATTN.',
  },
  {
    pattern: /No such file or directory: 'ninja'|Ninja is required/i,
    cause: 'kernels must be built, and ninja was not found',
    remedy: 'pip install ninja into the vLLM environment.',
  },
  {
    pattern: /ninja: build stopped|nvcc (?:fatal|not found)|CUDA_HOME .{0,300}not set/i,
    cause: 'building kernels failed',
    remedy: 'Install a CUDA toolkit that matches, clear ~/.cache/flashinfer, or set VLLM_USE_FLASHINFER_SAMPLER=0.',
  },
  {
    pattern: /Run .vllm download-kernels/i,
    cause: 'the kernels are not installed yet',
    remedy: 'Run vllm download-kernels once on the host.',
  },
  {
    pattern: /Failed to find C compiler|Python\.h: No such file/i,
    cause: 'Triton needs a C compiler and the Python headers',
    remedy: 'Install gcc and python3-dev on the host.',
  },
  {
    pattern: /undefined symbol|libcud\w+\.so[.\d]*: cannot open/i,
    cause: 'the installed libraries do not fit together',
    remedy: 'Make a clean environment; in a container give it the GPUs (--gpus all).',
  },
  {
    pattern: /Failed to infer device type/i,
    cause: 'vLLM found no device it can use',
    remedy: 'Check the driver (nvidia-smi), and that the installed vLLM is the one for this hardware.',
  },
  {
    pattern: /Cannot re-initialize CUDA in forked subprocess/i,
    cause: 'CUDA was used before the workers were forked',
    remedy: 'Set VLLM_WORKER_MULTIPROC_METHOD=spawn.',
  },
  {
    pattern: /device-side assert|illegal memory access|\bXid\b/i,
    cause: 'a GPU kernel crashed',
    remedy: 'Try another attention backend; look for Xid in dmesg.',
  },
  {
    pattern: /uncorrectable ECC|fallen off the bus/i,
    cause: 'a GPU is faulty',
    remedy: 'Leave that GPU out (CUDA_VISIBLE_DEVICES).',
  },
  {
    pattern: /No space left on device|Disk quota exceeded/i,
    cause: 'the disk of the host is full',
    remedy: 'Free space, or move HF_HOME and VLLM_CACHE_ROOT.',
  },
  {
    pattern: /Too many open files/i,
    cause: 'the limit of open files is too low',
    remedy: 'Raise it (ulimit -n 65535) for the account.',
  },
  {
    pattern: /vllm: (?:command )?not found|exec: \S*(?:vllm|python)\S*: (?:not found|cannot execute)|No module named .?vllm\b/i,
    cause: 'vLLM was not found there',
    remedy: 'Choose an environment that has it: speedgrid inventory HOST lists them.',
  },
  {
    pattern: /Timed out waiting for engine core processes to start/i,
    cause: 'the engine took longer than vLLM itself waits for',
    remedy: 'Raise VLLM_ENGINE_READY_TIMEOUT_S.',
  },
  {
    pattern: /speedgrid: the secrets did not arrive/,
    cause: 'the connection broke before the start was complete',
    remedy: 'Launch again.',
  },
  {
    pattern: /^Killed\b|died with exit code -9|exitcode:? ?-9|SIGKILL/,
    cause: 'a process of the server was killed',
    remedy: KILLED_REMEDY,
  },
  // wrappers
  {
    pattern: /Did not receive response from front-end process within 5 minutes/i,
    cause: 'the API server died or got stuck',
    remedy: 'Look at its lines in the log.',
    wrapper: true,
  },
  {
    pattern:
      /Engine core initialization failed|Failed core proc|Frontend process failed during engine core|WorkerProc (?:initialization )?failed|EngineCore failed to start|EngineDeadError|EngineCore encountered a fatal error/i,
    cause: 'the engine did not start',
    remedy: 'The log above this line has the first error.',
    wrapper: true,
  },
]

function firstWords(text: string | undefined): string {
  return (text ?? '').trim().slice(0, 120)
}
