// Words that say little about the wanted tool: stop words are ignored, and weak words get a lower weight.

import { stem } from './stem.ts'

/** Grammatical words. They are left out of the index and of queries. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a an the this that these those some any each every either neither both such same other another
  i me my mine myself we us our ours ourselves you your yours yourself he him his himself she her hers it its itself
  they them their theirs themselves one ones who whom whose which what where when why how
  am is are was were be been being do does did done doing have has had having will would shall should can could may
  might must ought
  and or but nor so yet if then else than as at by for from in into of off on onto out over to under up with within
  without about above across after against along among around before behind below beneath beside between beyond
  during except inside near outside per since through throughout till toward towards until upon via while
  not no only just also too very much more most many few less least quite rather really even still again ever never
  always often here there now
  don t s ll re ve d m doesn didn isn aren wasn weren won wouldn can couldn shouldn hasn haven hadn let lets
  ok okay etc eg ie vs`.split(/\s+/),
)

/** Weak words: words for asking, politeness, and words about the request itself. */
const ASKING = `want wanna wish need needed require like love hope look looking seek try trying know tell show give provide
  suggest advise advice ask assist assistance help helpful helping please kindly thank thanks appreciate appreciated hi
  hello hey dear able possible possibly capable curious wonder wondering interested interest interesting plan planning
  planned think thinking thought decide deciding consider considering prefer preferably would going go come make making
  sure able enable allow let use using used utilize get getting got obtain retrieve fetch find finding figure see seeing
  say said mean hear question answer request requesting inquire information info detail details detailed specific
  specifically particular particularly certain various different several available relevant related regarding concerning
  based include including included additionally furthermore moreover besides lastly finally firstly first secondly second
  next well however therefore because since though although maybe perhaps currently recently soon already
  start begin end finish finally keep put take bring set work working worked run give check tool api apis app
  application service assistant bot plugin function feature option options choice recommend recommendation idea ideas
  tip tips way ways thing things stuff something anything everything nothing kind type types sort bit lot lots part
  case example instance purpose reason fact issue problem matter`

/** Weak words for people, times, opinions and amounts. */
const SCENE = `friend friends mom mother dad father wife husband son daughter brother sister girlfriend boyfriend colleague
  colleagues coworker boss guest guests guy people person someone somebody anyone anybody everyone everybody man woman
  tonight tomorrow yesterday morning afternoon evening moment late later lately
  good best better great nice awesome amazing perfect excellent wonderful cool favorite favourite new old big
  small large huge little easy easily quick quickly simple hard difficult important special unique exciting excited
  happy sad bored boring tired busy ready comfortable surprise enjoy upcoming spend happen happening
  full whole entire complete completely total totally exact exactly actual actually
  few couple dozen hundred thousand two three four five six seven eight nine ten`

export const ASKING_STEMS = stemsOf(ASKING)
export const SCENE_STEMS = stemsOf(SCENE)

/** Computes the stems by first letter when they are needed. A stem starts with the same letter as its word. */
function stemsOf(text: string): Pick<ReadonlySet<string>, 'has'> {
  const byLetter = new Map<string, ReadonlySet<string>>()
  const beginningWith = (letter: string): ReadonlySet<string> => {
    const words = text.split(/\s+/).filter((word) => word.startsWith(letter))
    const stems = new Set(words.map(stem))
    if (stems.size > 0) byLetter.set(letter, stems)
    return stems
  }
  return {
    has(term) {
      const letter = term.charAt(0)
      return (byLetter.get(letter) ?? beginningWith(letter)).has(term)
    },
  }
}
