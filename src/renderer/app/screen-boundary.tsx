import { Component, type ErrorInfo as ReactErrorInfo, type ReactNode } from 'react'
import type { ErrorInfo } from '../../shared/model/error.ts'
import { toErrorInfo } from '../state/errors.ts'
import { ErrorNotice } from '../ui/error-notice.tsx'

/** A screen that fails leaves the rest of the window usable. */
export class ScreenBoundary extends Component<{ children: ReactNode }, { error?: ErrorInfo }> {
  override state: { error?: ErrorInfo } = {}

  static getDerivedStateFromError(error: unknown) {
    return { error: toErrorInfo(error) }
  }

  override componentDidCatch(error: unknown, info: ReactErrorInfo) {
    console.error(error, info.componentStack)
  }

  override render() {
    const { error } = this.state
    if (error === undefined) return this.props.children
    const retry = () => {
      this.setState({})
      window.location.reload()
    }
    return (
      <main id="screen" tabIndex={-1} style={{ padding: 20 }}>
        <ErrorNotice error={error} onRetry={retry} retryLabel="Reload" />
      </main>
    )
  }
}
