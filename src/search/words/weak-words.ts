// Words that people add to a request. They get a lower weight, because they say little about the wanted tool.

import { stem } from './stem.ts'

/** Words for asking, politeness, and words about the request itself. */
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

/** Words for the everyday situation of a request. */
const SCENE = `friend friends mom mother dad father wife husband son daughter brother sister girlfriend boyfriend colleague
  colleagues coworker boss guest guests guy people person someone somebody anyone anybody everyone everybody man woman
  tonight tomorrow yesterday morning afternoon evening moment late later lately
  good best better great nice awesome amazing perfect excellent wonderful cool favorite favourite new old big
  small large huge little easy easily quick quickly simple hard difficult important special unique exciting excited
  happy sad bored boring tired busy ready comfortable surprise enjoy upcoming spend happen happening
  full whole entire complete completely total totally exact exactly actual actually
  few couple dozen hundred thousand two three four five six seven eight nine ten`

export const ASKING_WORDS = stemsOf(ASKING)
export const SCENE_WORDS = stemsOf(SCENE)

/** A stem starts with the same letter as its word, so a query needs the stems of only a few words. */
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
