import { Modal, type ModalProps } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'

export interface DialogProps {
  title: string
  size?: ModalProps['size']
  onClose: () => void
  children: ReactNode
}

/**
 * A dialog that is there while it is rendered. The element with `data-autofocus` has the focus; when the dialog goes, the focus goes
 * back to where it came from.
 */
export function Dialog({ title, size = 'md', onClose, children }: DialogProps) {
  const [origin] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      if (origin instanceof HTMLElement && origin.isConnected) origin.focus()
    },
    [origin],
  )
  return (
    <Modal opened onClose={onClose} title={title} size={size} returnFocus={false} closeButtonProps={{ 'aria-label': 'Close' }}>
      {children}
    </Modal>
  )
}
