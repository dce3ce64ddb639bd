/**
 * What a stream says. Words come from a ring of seeded random tokens that is longer than any loop detector looks back, each stream at
 * a place of its own; a looping stream says one phrase again and again, in long tokens, so that a detector needs seconds, not minutes.
 */
const RING_TOKENS = 1 << 16

const WORDS = `the of and to in that is as for with by on are from this be which an at or it was one all each their more into when
field proof number method early later school work theory figure line point plane curve angle ratio table scale sphere orbit motion
light force weight series limit sum root power term order group ring map space shape surface volume area length measure unit value
count rule law case form part whole side edge base height depth width path loop node graph tree chain link step stage phase period
year century letter paper book note page text word sign symbol system model problem question answer reason cause result effect
example sense idea view source teacher student scholar master court city harbor market bridge tower garden river valley mountain
island coast road gate wall stone clay bronze copper silver paint glass lens mirror clock wheel spring engine vessel compass star
moon planet season harvest tax debt trade coin grain wool salt oil wine bread water fire wind cloud rain winter summer north south
east west near far long short wide narrow high low great small new old first second third final common rare simple complex exact
rough known hidden open closed free bound equal odd even prime whole mixed direct inverse linear cubic finite infinite formal
practical ancient modern local general special central outer inner upper lower left right true false clear plain strict loose
found wrote drew built solved proved showed taught learned carried copied printed lost kept changed joined divided added counted
measured weighed compared named described defined extended reduced turned moved placed formed opened closed began ended grew`
  .split(/\s+/)
  .filter((word) => word.length > 0)

/** mulberry32: small, seeded, good enough for words. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

let ring: string[] | undefined

function tokenRing(): string[] {
  if (ring) return ring
  const random = createRandom(20_261_130)
  let untilStop = 12
  ring = Array.from({ length: RING_TOKENS }, () => {
    untilStop -= 1
    const word = WORDS[Math.floor(random() * WORDS.length)] ?? 'and'
    if (untilStop > 0) return ` ${word}`
    untilStop = 7 + Math.floor(random() * 12)
    return ` ${word}.`
  })
  return ring
}

export const LOOP_TOKENS = [
  ' and the same is shown again for the second case in the same way',
  ', as the table above has shown for the first case of the series',
  ', so that the sum of the parts is once more equal to the whole,',
] as const

/** A cursor through the ring (or through the loop); texts need no escaping in JSON. */
export interface TokenText {
  next(tokens: number, looping: boolean): string
}

export function createTokenText(seed: number): TokenText {
  const tokens = tokenRing()
  let position = Math.imul(seed, 40_503) & (RING_TOKENS - 1)
  let loopPosition = 0
  return {
    next(count, looping) {
      let text = ''
      for (let index = 0; index < count; index += 1) {
        if (looping) {
          text += LOOP_TOKENS[loopPosition]
          loopPosition = (loopPosition + 1) % LOOP_TOKENS.length
        } else {
          text += tokens[position]
          position = (position + 1) & (RING_TOKENS - 1)
        }
      }
      return text
    },
  }
}
