import { Modal, type ModalProps } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'

interface DialogProps {
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
  const [origin] = useState(() => lastingOrigin(document.activeElement))
  useEffect(
    () => () => {
      const lasting = origin?.isConnected === true ? origin : document.getElementById('screen')
      lasting?.focus()
    },
    [origin],
  )
  return (
    <Modal opened onClose={onClose} title={title} size={size} returnFocus={false} closeButtonProps={{ 'aria-label': 'Close' }}>
      {children}
    </Modal>
  )
}

/** A menu's item goes with its menu: then it is the button that opened the menu. What is in the palette goes with it: nothing. */
function lastingOrigin(element: Element | null): HTMLElement | undefined {
  const menu = element?.closest('[role="menu"]')
  const lasting =
    menu == null
      ? element
      : [...document.querySelectorAll('[aria-controls]')].find((it) => it.getAttribute('aria-controls') === menu.id)
  return lasting instanceof HTMLElement && lasting !== document.body && lasting.closest('[role="dialog"]') === null
    ? lasting
    : undefined
}
