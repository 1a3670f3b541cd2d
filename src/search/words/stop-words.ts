// Grammatical words without meaning for a search. They are left out of the index and of queries.

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
