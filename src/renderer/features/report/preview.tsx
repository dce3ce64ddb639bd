import { useEffect, useRef, useState } from 'react'
import { EMPTY_FRAME, showReport } from './preview-document.ts'
import classes from './report.module.css'

/** The export itself, as it will look. */
export function Preview({ html, name }: { html: string; name: string }) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [isReady, setReady] = useState(false)
  useEffect(() => {
    if (isReady && frame.current !== null) showReport(frame.current, html)
  }, [isReady, html])
  return (
    <iframe
      ref={frame}
      className={classes.frame}
      title={`Report of ${name}`}
      sandbox="allow-same-origin"
      srcDoc={EMPTY_FRAME}
      onLoad={() => {
        setReady(true)
      }}
    />
  )
}
