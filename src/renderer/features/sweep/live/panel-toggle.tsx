import { ActionIcon, Tooltip } from '@mantine/core'
import { PanelRightClose, PanelRightOpen } from 'lucide-react'

/** Gives the grid the whole width, or shows cell and events beside it again. */
export function PanelToggle({ isOpen, onToggle }: { isOpen: boolean; onToggle: () => void }) {
  const label = isOpen ? 'Hide cell and events' : 'Show cell and events'
  const Icon = isOpen ? PanelRightClose : PanelRightOpen
  return (
    <Tooltip label={label}>
      <ActionIcon variant="default" size={30} aria-label={label} aria-expanded={isOpen} onClick={onToggle}>
        <Icon size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  )
}
