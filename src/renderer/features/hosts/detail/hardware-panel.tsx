import { bytesText, countText } from '../../../../shared/format/index.ts'
import type { Gpu, Inventory } from '../../../../shared/model/host.ts'
import { nominalMemoryGb } from '../../../../shared/report/gpu-memory.ts'
import { shortGpuName } from '../../../../shared/report/hardware.ts'
import { Panel } from '../../../ui/panel.tsx'
import { isDiskLow } from '../host-texts.ts'
import classes from './host-detail.module.css'

export function HardwarePanel({ inventory }: { inventory: Inventory }) {
  const { gpus } = inventory
  const [first] = gpus
  const rows: (readonly [string, string | undefined])[] = [
    ['Host name', inventory.hostName],
    ['System', join([inventory.os, inventory.kernel, inventory.arch])],
    ['CPU', join([inventory.cpuModel, inventory.cpuCount === undefined ? undefined : `${countText(inventory.cpuCount)} cores`])],
    ['Memory', inventory.memoryBytes === undefined ? undefined : bytesText(inventory.memoryBytes)],
    ['Driver', first?.driverVersion],
  ]
  return (
    <Panel title="Hardware">
      <dl className={classes.pairs}>
        <dt>{gpus.length > 1 ? 'GPUs' : 'GPU'}</dt>
        <dd>
          {gpus.length === 0 && <span>{inventory.gpuProblem === undefined ? 'none' : `none: ${inventory.gpuProblem}`}</span>}
          {gpuLines(gpus).map((line) => (
            <div key={line}>{line}</div>
          ))}
        </dd>
        {rows.map(([label, text]) => text !== undefined && text !== '' && <Row key={label} label={label} text={text} />)}
        <dt>Free disk</dt>
        <dd className={isDiskLow(inventory) ? classes.warn : undefined}>
          {join([
            inventory.modelsFreeBytes === undefined ? undefined : `${bytesText(inventory.modelsFreeBytes)} for models`,
            inventory.homeFreeBytes === undefined ? undefined : `${bytesText(inventory.homeFreeBytes)} in home`,
          ]) || '—'}
          {isDiskLow(inventory) && ': less than most models need'}
        </dd>
        <Row
          label="Node"
          text={
            inventory.node === undefined ? 'none (needed to measure on the host; ours can be brought)' : inventory.node.version
          }
        />
        <Row label="Python" text={inventory.python?.version ?? 'none found'} />
      </dl>
    </Panel>
  )
}

function Row({ label, text }: { label: string; text: string }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>{text}</dd>
    </>
  )
}

/** Equal ones together: "4 × RTX PRO 6000 · 96 GB · 600 W". */
function gpuLines(gpus: readonly Gpu[]): string[] {
  const counts = new Map<string, number>()
  for (const gpu of gpus) {
    const memory = nominalMemoryGb(shortGpuName(gpu.name), gpu.memoryMiB)
    const line = join([
      shortGpuName(gpu.name),
      memory === undefined ? 'memory shared with the CPU' : `${String(memory)} GB`,
      gpu.powerLimitWatts === undefined ? undefined : `${countText(gpu.powerLimitWatts)} W`,
      gpu.migDevices === undefined ? undefined : `MIG ${gpu.migDevices.join(', ')}`,
    ])
    counts.set(line, (counts.get(line) ?? 0) + 1)
  }
  return [...counts].map(([line, count]) => (count > 1 ? `${String(count)} × ${line}` : line))
}

const join = (parts: (string | undefined)[]) => parts.filter((part) => part !== undefined && part !== '').join(' · ')
