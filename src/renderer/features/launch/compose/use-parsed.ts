import { useDebouncedValue } from '@mantine/hooks'
import type { CommandView } from '../../../../shared/contract/servers.ts'
import { useClient } from '../../../state/context.ts'
import { useQuery } from '../../../state/use-query.ts'
import { withRedacted } from '../command/secrets.ts'
import type { Draft } from './draft.ts'

const WAIT_MS = 250

/** What the engine says about the command: it has the last word on whether it can be launched. Undefined until it has answered. */
export function useParsed({ text, secrets }: Draft): CommandView | undefined {
  const client = useClient()
  const [command] = useDebouncedValue(withRedacted(text, secrets), WAIT_MS)
  const query = useQuery(command, async (signal) =>
    command.trim() === '' ? undefined : client.servers.parse.query({ command }, { signal }),
  )
  return query.value
}
