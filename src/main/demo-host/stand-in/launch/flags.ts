/** How many words a flag takes: none, one, one or more, or perhaps one. `switch` also has a `--no-` form. */
export type FlagKind = 'store_true' | 'switch' | 'value' | 'integer' | 'number' | 'human' | 'json' | 'list' | 'optional'

/** The flags of `vllm serve` that people use most (docs/vllm.md 1.2); what isn't here is refused as an unknown one. */
const TABLE: Record<FlagKind, string> = {
  store_true: `headless grpc disable-log-stats aggregate-engine-logging data-parallel-multi-port-external-lb fail-on-environ-validation`,
  switch: `trust-remote-code enforce-eager skip-tokenizer-init enable-prompt-embeds enable-sleep-mode language-model-only
    skip-mm-profiling enable-expert-parallel enable-eplb enable-dbo disable-custom-all-reduce numa-bind enable-prefix-caching
    disable-hybrid-kv-cache-manager enable-chunked-prefill async-scheduling scheduler-reserve-full-isl
    enable-flashinfer-autotune disable-uvicorn-access-log enable-auto-tool-choice enable-prompt-tokens-details
    enable-per-request-metrics enable-force-include-usage enable-server-load-tracking enable-request-id-headers enable-lora
    enable-log-requests enable-log-outputs kv-cache-metrics cudagraph-metrics enable-mfu-metrics
    enable-logging-iteration-details enable-ssl-refresh disable-fastapi-docs enable-tokenizer-info-endpoint
    data-parallel-hybrid-lb data-parallel-external-lb calculate-kv-scales allow-credentials return-tokens-as-token-ids`,
  value: `model tokenizer tokenizer-mode revision code-revision tokenizer-revision dtype quantization runner model-impl
    generation-config config-format device-ids distributed-executor-backend master-addr all2all-backend kv-cache-dtype
    prefix-caching-hash-algo kv-offloading-backend mamba-cache-mode mamba-cache-dtype mamba-ssm-cache-dtype
    scheduling-policy performance-mode spec-method spec-model per-request-spec-decode-metrics attention-backend moe-backend
    linear-backend load-format download-dir safetensors-load-strategy host uds root-path ssl-keyfile ssl-certfile ssl-ca-certs
    uvicorn-log-level disable-access-log-for-endpoints chat-template chat-template-content-format tool-call-parser
    reasoning-parser show-hidden-metrics-for-version otlp-traces-endpoint collect-detailed-traces config response-role
    data-parallel-backend data-parallel-address gdn-prefill-backend kda-prefill-backend fingerprint-mode`,
  integer: `seed max-logprobs tensor-parallel-size pipeline-parallel-size data-parallel-size decode-context-parallel-size
    prefill-context-parallel-size nnodes node-rank master-port max-parallel-loading-workers block-size
    num-gpu-blocks-override max-num-seqs long-prefill-token-threshold stream-interval spec-tokens optimization-level
    max-cudagraph-capture-size port api-server-count max-loras max-lora-rank shutdown-timeout max-log-len
    data-parallel-size-local data-parallel-start-rank data-parallel-rank data-parallel-rpc-port`,
  number: `gpu-memory-utilization mm-processor-cache-gb kv-offloading-size cpu-offload-gb`,
  human: `max-model-len max-num-batched-tokens max-num-scheduled-tokens kv-cache-memory-bytes safetensors-prefetch-block-size`,
  json: `hf-overrides override-generation-config limit-mm-per-prompt eplb-config kv-transfer-config speculative-config
    compilation-config model-loader-extra-config default-chat-template-kwargs profiler-config engram-config
    allowed-origins allowed-methods allowed-headers mm-processor-kwargs kernel-config structured-outputs-config`,
  list: `served-model-name api-key cudagraph-capture-sizes ignore-patterns lora-modules middleware`,
  optional: `hf-token`,
}

export const FLAGS: ReadonlyMap<string, FlagKind> = new Map(
  Object.entries(TABLE).flatMap(([kind, names]) =>
    names.split(/\s+/).map((name): [string, FlagKind] => [name, kind as FlagKind]),
  ),
)

export const SHORT_FLAGS: Readonly<Record<string, string>> = {
  '-tp': 'tensor-parallel-size',
  '-pp': 'pipeline-parallel-size',
  '-dp': 'data-parallel-size',
  '-ep': 'enable-expert-parallel',
  '-dcp': 'decode-context-parallel-size',
  '-pcp': 'prefill-context-parallel-size',
  '-n': 'nnodes',
  '-r': 'node-rank',
  '-q': 'quantization',
  '-sc': 'speculative-config',
  '-cc': 'compilation-config',
  '-asc': 'api-server-count',
}
