/** Common English words, one token each in most vocabularies. Changing a list changes every seeded prompt. */
const split = (text: string): readonly string[] => text.trim().split(/\s+/)

/** Exactly 256, so that a byte picks one. */
export const NOUNS = split(`
  river stone amber garden market harbor window table letter engine bridge forest winter summer morning evening island valley
  mountain village city road station train ship captain doctor teacher student farmer painter writer singer soldier king queen
  church school library museum theater palace castle tower wall gate door roof floor kitchen bedroom hall stair corner street
  square park field meadow hill lake ocean beach coast storm cloud rain snow wind fire light shadow color silver gold iron
  copper steel glass wood paper cotton wool silk leather bread butter cheese apple orange lemon coffee tea sugar salt pepper
  water milk wine oil honey rice corn wheat seed root leaf flower tree grass bird horse dog cat cow sheep goat lion tiger bear
  wolf fox rabbit mouse fish whale shark eagle owl duck swan bee ant spider snake frog turtle book page story poem song dance
  music drum flute violin piano guitar bell clock watch lamp candle mirror picture frame chair desk shelf box basket bottle cup
  plate knife fork spoon hammer nail saw rope chain wheel cart wagon boat sail anchor map compass coin purse ring crown sword
  shield arrow bow helmet coat hat shoe glove scarf button needle thread cloth flag sign stamp ink pen pencil brush paint clay
  brick sand dust smoke steam ice motion number metal measure weight length point line circle angle surface volume pattern
  method theory law rule reason answer question proof idea dream memory voice word name sound
  day night week month year north south east west path track trail camp tent
`)

export const ADJECTIVES = split(`
  quiet narrow broad ancient modern early late bright dark heavy light gentle rough smooth silent busy empty crowded distant near
  northern southern eastern western wooden golden broken hidden open closed careful patient curious honest clever simple strange
  common rare useful famous public private royal rural urban coastal cold warm dry wet deep shallow steep level round square
  sharp blunt soft hard young old new great small large long short tall low high rich poor plain formal strict loose steady
  sudden gradual regular uneven stubborn cheerful serious practical local foreign central remote former final single double
  several complete partial exact rough-hewn well-kept half-finished
`)

export const VERBS = split(`
  carried followed described measured repaired collected explained counted painted opened closed moved crossed reached built
  planned studied copied compared recorded traded borrowed returned divided joined replaced discovered noticed remembered
  admired questioned examined tested improved shaped polished covered filled emptied lifted lowered pushed pulled guarded
  watched visited approached left entered guided warned praised supported surprised delayed protected preserved restored
  translated arranged gathered exchanged inherited abandoned
`)

export const PLACES = split(`
  Alder Brook Carver Dunmore Easton Fairview Granton Halden Inverley Jasper Kelso Lorne Marlow Norwick Oakham Penrose Quarry
  Redmoor Selby Thornton Ulverton Verdale Westbury Yarrow Zenner Ashford Birchwood Colton Dalton Elmhurst Fenwick Glenrock
  Hartley Ironbridge Kingsley Langdon Millbrook Newfield Overton Preston
`)

export const PEOPLE = split(`
  Anna Bernard Clara Daniel Edith Felix Greta Hugo Irene Jonas Karla Leon Martha Nils Olga Peter Rosa Simon Tessa Victor Wanda
  Arthur Beatrix Conrad Dora Emil Flora Gustav Helen Ivan
`)

export const SUBJECTS = split(`
  mathematics astronomy navigation medicine printing architecture agriculture music painting chemistry geography metallurgy
  weaving shipbuilding clockmaking glassmaking cartography botany optics mechanics law trade coinage writing libraries
  gardening bridges railways lighthouses ceramics
`)

/** Single words that lengthen a text by about one token each. */
export const FILLERS = split(`
  dates names places causes numbers sources letters maps tools roads prices weights laws songs storms ships walls bells books
  keys lamps coins fields rivers trees stones winds lakes hills doors
`)
