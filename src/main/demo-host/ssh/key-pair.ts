import ssh2 from 'ssh2'

/**
 * A new ed25519 key pair in OpenSSH's form. ssh2 1.17 drops zero bytes that a public key begins with, so that one pair in 256 is one that
 * nobody can read (its issue 1390): made anew until both halves can be.
 */
export function makeKeyPair(comment = ''): { private: string; public: string } {
  for (;;) {
    const pair = ssh2.utils.generateKeyPairSync('ed25519', { comment })
    if (isReadable(pair.private) && isReadable(pair.public)) return pair
  }
}

const isReadable = (key: string) => !(ssh2.utils.parseKey(key) instanceof Error)
