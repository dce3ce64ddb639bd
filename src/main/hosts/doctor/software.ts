import { bytesText } from '../../../shared/format/index.ts'
import type { HostReading } from '../inventory/parse.ts'
import { OLDEST_NODE } from '../inventory/parse.ts'
import type { Verdict } from './types.ts'

export function checkPython({ inventory }: HostReading): Verdict {
  const own = inventory.python
  if (own !== undefined) return { outcome: 'pass', evidence: `${own.path} is ${own.version}` }
  const python = inventory.environments.find((environment) => environment.python !== undefined)?.python
  if (python !== undefined) return { outcome: 'pass', evidence: `no python3 on PATH, but vLLM brings ${python}` }
  return {
    outcome: 'fail',
    evidence: 'no python3 on PATH, in /usr/bin or /usr/local/bin, and no vLLM with its own',
    remedy: 'Install Python 3.10 or newer; vLLM needs it.',
  }
}

export function checkVllm({ inventory }: HostReading): Verdict {
  const environments = inventory.environments
  if (environments.length === 0) {
    return {
      outcome: 'fail',
      evidence: 'no vllm on PATH, in ~/.venv, ~/venv*, ~/*/bin, ~/envs, conda environments, uv tools, ~/.cache/*/bin or /opt',
      remedy:
        'Install it (uv venv --seed ~/venv-vllm && ~/venv-vllm/bin/pip install vllm), or write its full path in the launch command.',
    }
  }
  const said = environments.map(({ vllm, version, torchVersion, cuda }) =>
    [
      vllm,
      version === undefined ? 'version unknown' : `vLLM ${version}`,
      torchVersion && `torch ${torchVersion}`,
      cuda && `CUDA ${cuda}`,
    ]
      .filter(Boolean)
      .join(', '),
  )
  if (environments.every(({ version }) => version === undefined)) {
    return {
      outcome: 'fail',
      evidence: said.join('\n'),
      remedy: `It does not say its version. Try on the host: ${environments[0]?.vllm ?? 'vllm'} --version`,
    }
  }
  return { outcome: 'pass', evidence: said.join('\n') }
}

const NVIDIA = '0x10de'

export function checkGpus({ inventory, gpuVendors }: HostReading): Verdict {
  const { gpus, gpuTool, gpuProblem } = inventory
  if (gpus.length > 0) {
    const said = gpus.map(({ index, name, memoryMiB, driverVersion, migDevices }) =>
      [
        `${String(index)}: ${name}`,
        memoryMiB === undefined ? 'unified memory' : bytesText(memoryMiB * 1024 * 1024),
        driverVersion && `driver ${driverVersion}`,
        migDevices && `MIG: ${migDevices.join(', ') || 'no device made'}`,
      ]
        .filter(Boolean)
        .join(', '),
    )
    return { outcome: 'pass', evidence: said.join('\n') }
  }
  if (gpuTool !== undefined) {
    return {
      outcome: 'fail',
      evidence: `${gpuTool}: ${gpuProblem ?? 'lists no GPU'}`,
      remedy:
        gpuTool === 'nvidia-smi'
          ? 'Load the driver (sudo modprobe nvidia; after an update, restart the machine), or give the container its GPUs (--gpus all).'
          : 'Load amdgpu, and add the account to the groups video and render.',
    }
  }
  if (gpuVendors.includes(NVIDIA)) {
    return {
      outcome: 'fail',
      evidence: 'an NVIDIA device is on the PCI bus, but there is no nvidia-smi',
      remedy: 'Install the NVIDIA driver with its utilities.',
    }
  }
  return {
    outcome: 'skipped',
    evidence: 'no nvidia-smi, no amd-smi, no NVIDIA device on the PCI bus: vLLM can only run on the CPU here',
  }
}

export function checkNode({ inventory, nodes }: HostReading): Verdict {
  if (inventory.node !== undefined) return { outcome: 'pass', evidence: `${inventory.node.path} is ${inventory.node.version}` }
  const old = nodes.map(({ path, version }) => `${path} is ${version}`)
  return {
    outcome: 'fail',
    evidence:
      old.length > 0
        ? `too old: ${old.join(', ')}`
        : 'no node on PATH or in ~/.nvm, ~/.volta, ~/.local/bin, /usr/local/bin, ~/.cache/speedgrid',
    remedy: `Sweeps then measure through the SSH tunnel. To measure on the host itself: speedgrid sweep --send-node (brings one file, removable), or install Node ${String(OLDEST_NODE)} or newer.`,
  }
}
