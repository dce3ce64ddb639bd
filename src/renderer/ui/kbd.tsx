import { shortcutText } from '../app/shortcuts.ts'
import { platformOf } from '../state/shell-browser.ts'
import classes from './kbd.module.css'

const isMac = () => platformOf(navigator.userAgent) === 'mac'

/** Keys as this system writes them: `Mod+K` is "⌘K" on a Mac, "Ctrl+K" elsewhere. */
export function Kbd({ keys }: { keys: string }) {
  return (
    <span className={classes.keys}>
      {shortcutText(keys, isMac()).map((text, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- a sequence may name a key twice
        <kbd key={index} className={classes.key}>
          {text}
        </kbd>
      ))}
    </span>
  )
}
