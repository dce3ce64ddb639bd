import { type Inventory, inventorySchema } from '../../shared/model/host.ts'
import type { Database } from './database.ts'

/** What a host had when it was last looked at, so that a list shows it before anybody connects. */
export interface InventoriesStore {
  find: (host: string) => { inventory: Inventory; seenAt: string } | undefined
  save: (host: string, inventory: Inventory, seenAt: string) => void
  remove: (host: string) => void
}

export function createInventoriesStore(database: Database): InventoriesStore {
  return {
    find: (host) => {
      const row = database.get<{ seen_at: string; json: string }>('SELECT seen_at, json FROM inventories WHERE host = ?', host)
      const parsed = row && inventorySchema.safeParse(JSON.parse(row.json))
      return row !== undefined && parsed?.success === true ? { inventory: parsed.data, seenAt: row.seen_at } : undefined
    },
    save: (host, inventory, seenAt) => {
      database.run(
        `INSERT INTO inventories (host, seen_at, json) VALUES (?, ?, ?)
         ON CONFLICT (host) DO UPDATE SET seen_at = excluded.seen_at, json = excluded.json`,
        host,
        seenAt,
        JSON.stringify(inventory),
      )
    },
    remove: (host) => {
      database.run('DELETE FROM inventories WHERE host = ?', host)
    },
  }
}
