// Whose words a statement rests on: the reporter that it names, or else who speaks at its moments.
import { cuesOf } from '../../../../clinical-text/cues/cues.ts';
import type { Language } from '../../../language.ts';
import type { SpeakerRole } from '../../check-report.ts';
import { memberAt } from '../relatives.ts';
import type { TextFacts } from '../text-facts.ts';

type Moment = { readonly role: SpeakerRole | undefined; readonly isQuestion: boolean };

type Parts = {
  readonly statement: TextFacts;
  readonly section: string;
  readonly language: Language;
  readonly moments: readonly Moment[];
};

/** Right before a relative it makes them the reporter, as a verb of telling behind them does. */
const BY = /^(?:per|by|from|according|collateral|via|segun|por|segundo|conforme|cf|pela|pelo|informante)$/;
const TELLS =
  /^(?:report|state|stat|say|said|note|confirm|den|nieg|neg|refier|refer|informa|comenta|dice|diz|relat|cont|traz|worr|concern|witness|found)/;
const COLLATERAL = /^(?:collateral|colateral|heteroanamnes\w*|informante|acompanhante|acompanante|cuidador\w*|carer)$/;
const REACH = 3;
const OF_CLINICIAN =
  /OBJECT|EXAM|ASSESS|IMPRESSION|DIAGNOS|PLAN|RECOMMEND|FOLLOW|DISPOSITION|INSTRUCTION|PROCEDURE|RESULT/;

/** Consent and refusal are the patient's own, in whichever section. */
const DECIDES =
  /^(?:consent\w*|agree[sd]?|accept\w*|declin\w*|refus\w*|wish\w*|acept\w*|aceit\w*|autoriz\w*|rechaz\w*|recus\w*|consient\w*|desea|deseja)$/;

export function whoseWords({ statement, section, language, moments }: Parts): SpeakerRole | undefined {
  if (isReportedByRelative(statement, language)) return 'relative';
  const known = moments.filter(({ role }) => role !== undefined);
  if (known.length === 0) return undefined;
  const told = known.filter(({ isQuestion }) => !isQuestion);
  const roles = (told.length > 0 ? told : known).flatMap(({ role }) => role ?? []);
  const isOfClinician = OF_CLINICIAN.test(section) && !statement.tokens.some(({ word }) => DECIDES.test(word));
  if (isOfClinician && roles.includes('clinician')) return 'clinician';
  // Of a history, the clinician has asked, repeated or agreed.
  const others = isOfClinician ? roles : roles.filter((role) => role !== 'clinician');
  return mostOf(others) ?? mostOf(roles);
}

function mostOf(roles: readonly SpeakerRole[]): SpeakerRole | undefined {
  const counts = [...Map.groupBy(roles, (role) => role)].toSorted(([, a], [, b]) => b.length - a.length);
  return counts[0]?.[0];
}

/** `per mum`, `refere a mãe`, `mother reports` */
function isReportedByRelative({ tokens }: TextFacts, language: Language): boolean {
  const cues = cuesOf(language);
  return tokens.some((token, index) => {
    if (COLLATERAL.test(token.word)) return true;
    if (memberAt(tokens, index, cues) === undefined) return false;
    const before = tokens.slice(Math.max(0, index - REACH), index);
    const isNamedBy = before.some(({ word }) => BY.test(word)) || before.some(({ word }) => TELLS.test(word));
    return isNamedBy || TELLS.test(tokens[index + 1]?.word ?? '');
  });
}
