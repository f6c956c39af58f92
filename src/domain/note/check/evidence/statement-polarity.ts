// Whether a statement as a whole affirms, denies or leaves open.
import { cuesOf } from '../../../../clinical-text/cues/cues.ts';
import { foldText } from '../../../../clinical-text/fold.ts';
import type { Token } from '../../../../clinical-text/tokens/tokens.ts';
import type { Language } from '../../../language.ts';
import type { StatementEvidence } from '../../check-report.ts';
import type { TextFacts } from '../text-facts.ts';

/** Words of doubt, in three languages. `R/O` and `DD` leave open what is behind them. */
const UNCERTAIN =
  /\b(?:possibl[ey]|possibility|probabl[ey]|likely|unlikely|suspect\w*|suspicio\w*|suggest\w*|consistent with|c\/w|cannot exclude|query|presum\w+|may be|might be|could be|unclear|unsure|uncertain|r\/o|rule out|exclude|ddx?|differential|posibl\w+|probabl\w+|sospech\w+|sugestiv\w+|sugiere|compatible|impresiona|descartar|a descartar|presunt\w+|dudos\w+|vs|possivel|possiveis|provavel|provaveis|suspeit\w+|suger\w+|compativel|hipotese|talvez|quiza\w*|a esclarecer|a confirmar|em investigacao|incert\w+|afastar|hd)\b/;
const QUERY = /^\?|[\s(]\?\s?\p{L}/u;
const ALL_DENIED = /\b(?:nkda|nka|namc)\b/;
/** A label before the statement: `Allergies: none`. */
const LABEL_REACH = 5;

type Parts = {
  readonly statement: TextFacts;
  readonly text: string;
  readonly language: Language;
};

export function statementPolarity({ statement, text, language }: Parts): StatementEvidence['polarity'] {
  const folded = foldText(text);
  if (QUERY.test(text) || UNCERTAIN.test(folded)) return 'uncertain';
  return ALL_DENIED.test(folded) || isDeniedAtStart(statement.tokens, language) ? 'denied' : 'affirmed';
}

/** `Denies fever`, `No rash`, `Allergies: none`, `Fumo: nega`; `No, he takes it` would be a quotation. */
function isDeniedAtStart(tokens: readonly Token[], language: Language): boolean {
  const cues = cuesOf(language);
  const colon = tokens.slice(0, LABEL_REACH).findIndex(({ word }) => word === ':');
  const start = colon < 0 ? 0 : colon + 1;
  const first = tokens.findIndex(({ kind }, index) => index >= start && kind !== 'mark');
  if (first < 0) return false;
  return [cues.denies, cues.before, cues.always].some((set) => set.lengthAt(tokens, first) > 0);
}
