// Words of a note for agreeing and refusing. A bar is between the phrases; see phrase-set.ts.
import { makePhraseSet, type PhraseSet } from '../../../../clinical-text/cues/phrase-set.ts';
import type { Language } from '../../../language.ts';

type Sets = { readonly agrees: PhraseSet; readonly refuses: PhraseSet; readonly ends: PhraseSet };

function setsOf(agrees: string, refuses: string, ends: string): Sets {
  return { agrees: makePhraseSet(agrees), refuses: makePhraseSet(refuses), ends: makePhraseSet(ends) };
}

/** `ends` end what is agreed to or refused. */
export const CONSENT_WORDS: Readonly<Record<Language, Sets>> = {
  en: setsOf(
    'agrees|agreed|accepts|accepted|consents to|consented to|gives permission|gave permission',
    'declines|declined|declining|refuses|refused|does not consent|did not consent|not consented|withholds consent',
    'if|after|because|due|despite|unless|when|as|and|but',
  ),
  es: setsOf(
    'acepta|aceptan|acepto|autoriza|autorizan|autorizo|consiente|consienten|de acuerdo con|esta de acuerdo|accede a',
    'rechaza|rechazan|rechazo|no acepta|no acepto|no autoriza|no autorizo|no consiente|declina|no accede',
    'si|tras|por|porque|pese|salvo|cuando|y|pero|despues',
  ),
  pt: setsOf(
    'aceita|aceitam|aceitou|autoriza|autorizam|autorizou|concorda|concordam|concordou|consente|consentiu|de acordo com',
    'recusa|recusam|recusou|nao aceita|nao aceitou|nao autoriza|nao autorizou|nao concorda|nao consente|nao consentiu|rejeita',
    'se|apos|por|porque|apesar|salvo|quando|e|mas|depois',
  ),
};
