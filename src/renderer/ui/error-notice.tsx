import { Button } from '@mantine/core'
import { CircleAlert } from 'lucide-react'
import type { ErrorInfo } from '../../shared/model/error.ts'
import { CopyButton } from './copy-button.tsx'
import classes from './error-notice.module.css'

interface ErrorNoticeProps {
  error: ErrorInfo
  onRetry?: () => void
  retryLabel?: string
  onClose?: () => void
}

/** Cause, evidence as it was seen, next step. Everything is text, whatever it holds. */
export function ErrorNotice({ error, onRetry, retryLabel = 'Try again', onClose }: ErrorNoticeProps) {
  return (
    <div className={classes.notice} role="alert">
      <CircleAlert size={16} className={classes.icon} aria-hidden />
      <div className={classes.body}>
        <p className={classes.cause}>{error.cause}</p>
        {error.evidence.length > 0 && <pre className={classes.evidence}>{error.evidence.join('\n')}</pre>}
        {error.nextStep !== undefined && (
          <p>
            <strong>Next:</strong> {error.nextStep}
          </p>
        )}
        <div className={classes.foot}>
          {onRetry !== undefined && (
            <Button size="compact-sm" variant="default" onClick={onRetry}>
              {retryLabel}
            </Button>
          )}
          {onClose !== undefined && (
            <Button size="compact-sm" variant="subtle" color="gray" onClick={onClose}>
              Dismiss
            </Button>
          )}
          <CopyButton value={() => errorText(error)} label="Copy error" />
          <code className={classes.code}>{error.code}</code>
        </div>
      </div>
    </div>
  )
}

export function errorText(error: ErrorInfo): string {
  return [
    `${error.code}: ${error.cause}`,
    ...error.evidence,
    ...(error.nextStep === undefined ? [] : [`Next: ${error.nextStep}`]),
  ].join('\n')
}
