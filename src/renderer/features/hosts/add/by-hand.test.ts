import { describe, expect, it } from 'vitest'
import { checkByHand, suggestName } from './by-hand.ts'

const fine = { target: 'ann@10.20.0.11:2222', name: 'lab', identityFile: '' }

describe('a host added by hand', () => {
  it.each(['lab', 'ann@lab', 'ann@lab.example:22', '10.0.0.1', '[fe80::1]:22', 'fe80::1', 'me@[::1]'])('takes %s', (target) => {
    expect(checkByHand({ ...fine, target }, [])).toEqual({})
  })

  it.each([
    ['', /Where is it/],
    ['a b', /no spaces/],
    ['lab:0', /1 to 65535/],
    ['lab:99999', /1 to 65535/],
    ['[::1]:70000', /1 to 65535/],
    ['ann@', /user@address:port/],
    ['ann@bob@lab', /user@address:port/],
    ['x'.repeat(301), /At most 300/],
  ])('says what is wrong with the address %s', (target, message) => {
    expect(checkByHand({ ...fine, target }, []).target).toMatch(message)
  })

  it('says what is wrong with name and file', () => {
    expect(checkByHand({ ...fine, name: '-rf' }, []).name).toMatch(/can’t start/)
    expect(checkByHand({ ...fine, name: 'a/b' }, []).name).toMatch(/Letters/)
    expect(checkByHand({ ...fine, name: 'lab' }, ['lab']).name).toMatch(/already/)
    expect(checkByHand({ ...fine, identityFile: 'x'.repeat(4097) }, []).identityFile).toMatch(/4,096/)
  })

  it('suggests a name that is allowed', () => {
    expect(suggestName('ann@lab-3.example:2222')).toBe('lab-3')
    expect(suggestName('10.20.0.11')).toBe('10.20.0.11')
    expect(suggestName('ann@')).toBe('')
    for (const target of ['..weird', '$(reboot)', '[fe80::1]:22', 'ä.example']) {
      const name = suggestName(target)
      expect(name === '' || checkByHand({ ...fine, name }, []).name === undefined).toBe(true)
    }
  })
})
