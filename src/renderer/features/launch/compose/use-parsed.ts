import { useDebouncedValue } from '@mantine/hooks'
import type { CommandView } from '../../../../shared/contract/servers.ts'
import { useClient } from '../../../state/context.ts'
import { useQuery } from '../../../state/use-query.ts'
import { commandToRead, type Draft } from './draft.ts'

const WAIT_MS = 250

/** What the engine says about the command: it has the last word on whether it can be launched. Undefined until it has answered. */
export function useParsed(draft: Draft): CommandView | undefined {
  const client = useClient()
  const [key] = useDebouncedValue(JSON.stringify(commandToRead(draft)), WAIT_MS)
  const query = useQuery(key, async (signal) => {
    const command = JSON.parse(key) as ReturnType<typeof commandToRead>
    return command.text === '' ? undefined : client.servers.parse.query(command, { signal })
  })
  return query.value
}
