import { ActionIcon, Menu } from '@mantine/core'
import { ArchiveRestore, Ellipsis, FileText, FolderOpen, PencilLine, RotateCw, Star, StickyNote, Trash2 } from 'lucide-react'
import { navigate } from '../../../app/use-route.ts'
import { copyAndSay } from '../../../ui/copy-menu.tsx'
import { isGoing, runsAsMarkdown, runsAsTsv } from '../run-texts.ts'
import type { RunLineProps } from './run-line.tsx'

export function RowMenu({ run, isTrash, isBaseline, actions, onRenaming, onDetails }: RunLineProps) {
  const icon = (Icon: typeof Star) => <Icon size={14} aria-hidden />
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={26} tabIndex={-1} aria-label={`More about ${run.name}`}>
          <Ellipsis size={15} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {isTrash ? (
          <Menu.Item leftSection={icon(ArchiveRestore)} onClick={() => void actions.restore([run])}>
            Put back
          </Menu.Item>
        ) : (
          <>
            <Menu.Item
              leftSection={icon(FolderOpen)}
              rightSection="Enter"
              onClick={() => {
                actions.open(run)
              }}
            >
              Open
            </Menu.Item>
            <Menu.Item
              leftSection={icon(FileText)}
              onClick={() => {
                navigate({ screen: 'report', runId: run.id })
              }}
            >
              Report
            </Menu.Item>
            {run.state === 'interrupted' && (
              <Menu.Item leftSection={icon(RotateCw)} onClick={() => void actions.resume(run)}>
                Resume
              </Menu.Item>
            )}
            <Menu.Divider />
            <Menu.Item
              leftSection={icon(PencilLine)}
              rightSection="F2"
              onClick={() => {
                onRenaming(run.id)
              }}
            >
              Rename
            </Menu.Item>
            <Menu.Item
              leftSection={icon(StickyNote)}
              onClick={() => {
                onDetails(run)
              }}
            >
              Tags and note
            </Menu.Item>
            <Menu.Item leftSection={icon(Star)} onClick={() => void actions.setBaseline(isBaseline ? undefined : run)}>
              {isBaseline ? 'Not the baseline any more' : 'Use as baseline'}
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item onClick={() => void copyAndSay('the run', 'Markdown', runsAsMarkdown([run]))}>Copy as Markdown</Menu.Item>
            <Menu.Item rightSection="Ctrl+C" onClick={() => void copyAndSay('the run', 'TSV', runsAsTsv([run]))}>
              Copy as TSV
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item
              leftSection={icon(Trash2)}
              rightSection="Del"
              disabled={isGoing(run.state)}
              onClick={() => void actions.trash([run])}
            >
              Move to the trash
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
