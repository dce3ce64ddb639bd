import { Button, Menu } from '@mantine/core'
import { Copy } from 'lucide-react'
import { copyText } from './use-copy.ts'
import { showDone, showProblem } from './toasts.tsx'

interface CopyMenuProps {
  /** What is copied: "the grid", "12 runs". */
  what: string
  markdown: () => string | Promise<string>
  tsv: () => string | Promise<string>
  others?: { label: string; text: () => string | Promise<string> }[]
}

/** Copy as Markdown or TSV, from grids and tables. */
export function CopyMenu({ what, markdown, tsv, others = [] }: CopyMenuProps) {
  const formats = [{ label: 'Markdown', text: markdown }, { label: 'TSV (for spreadsheets)', text: tsv }, ...others]
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<Copy size={14} aria-hidden />}>
          Copy
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Copy {what} as</Menu.Label>
        {formats.map(({ label, text }) => (
          <Menu.Item key={label} onClick={() => void copyFrom(what, label, text)}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

async function copyFrom(what: string, format: string, read: () => string | Promise<string>) {
  try {
    await copyAndSay(what, format, await read())
  } catch (error) {
    showProblem(error)
  }
}

export async function copyAndSay(what: string, format: string, text: string) {
  if (await copyText(text)) showDone(`Copied ${what} as ${format.replace(/ \([^()]*\)$/, '')}`)
  else
    showProblem({
      code: 'internal',
      cause: 'The clipboard refused the text.',
      evidence: [],
      nextStep: 'Click into the page once, then copy again.',
    })
}
