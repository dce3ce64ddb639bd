import { CopyButton } from '../../ui/copy-button.tsx'
import { useAbilities } from '../../state/context.ts'
import { Section } from './section.tsx'
import classes from './settings.module.css'
import { useInfo } from './use-info.ts'

export function VersionsSection() {
  const info = useInfo().value
  const abilities = useAbilities()
  const rows = [
    ['Speedgrid', info?.version],
    ['Node of the engine', info?.nodeVersion],
    ['System', info?.platform],
    [
      'Chromium for PDF and PNG',
      abilities?.print === true ? 'this window' : (info?.chromium ?? 'none found: PDF and PNG can’t be exported'),
    ],
    ['Shown in', browserText(navigator.userAgent)],
  ].filter((row): row is [string, string] => row[1] !== undefined)
  return (
    <Section
      id="versions"
      actions={<CopyButton value={() => rows.map((row) => row.join(': ')).join('\n')} label="Copy the versions" />}
    >
      <dl className={classes.pairs}>
        {rows.map(([label, text]) => (
          <VersionRow key={label} label={label} text={text} />
        ))}
      </dl>
    </Section>
  )
}

function VersionRow({ label, text }: { label: string; text: string }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>{text}</dd>
    </>
  )
}

function browserText(userAgent: string): string {
  const electron = /Electron\/([\d.]+)/.exec(userAgent)?.[1]
  const chrome = /Chrome\/(\d+)/.exec(userAgent)?.[1]
  if (electron !== undefined) return `Electron ${electron}${chrome === undefined ? '' : `, Chromium ${chrome}`}`
  return chrome === undefined ? userAgent : `Chromium ${chrome}`
}
