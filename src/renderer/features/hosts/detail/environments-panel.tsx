import { Button } from '@mantine/core'
import type { Inventory } from '../../../../shared/model/host.ts'
import { hrefOf } from '../../../app/routes.ts'
import { Panel } from '../../../ui/panel.tsx'
import classes from './host-detail.module.css'

export function EnvironmentsPanel({ inventory, host }: { inventory: Inventory; host: string }) {
  const { environments } = inventory
  return (
    <Panel title="vLLM environments" padding="none">
      {environments.length === 0 ? (
        <p className={classes.empty}>
          No vLLM was found in PATH, in virtual environments of the home folder or in /opt. Install it there, or name its path
          when launching.
        </p>
      ) : (
        <ul className={classes.list}>
          {environments.map((environment) => (
            <li key={environment.vllm} className={classes.item}>
              <div className={classes.itemText}>
                <div className={classes.strong}>{environment.version ?? 'version unknown'}</div>
                <div className={classes.dim}>
                  <code>{environment.vllm}</code>
                </div>
                <div className={classes.dim}>
                  {[
                    environment.python === undefined ? undefined : `Python ${environment.python}`,
                    environment.torchVersion === undefined ? undefined : `torch ${environment.torchVersion}`,
                    environment.cuda === undefined ? undefined : `CUDA ${environment.cuda}`,
                  ]
                    .filter((part) => part !== undefined)
                    .join(' · ')}
                </div>
              </div>
              <Button
                component="a"
                size="compact-sm"
                variant="default"
                href={hrefOf({ screen: 'launch', host })}
                aria-label={`Launch with ${environment.vllm}`}
              >
                Launch
              </Button>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
