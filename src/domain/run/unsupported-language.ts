// How a run ends whose recording or note is in a language that the product does not support.
import { LANGUAGES } from '../language.ts';
import type { SiteSettings } from '../site/site.ts';
import type { RunEnd } from './run-end.ts';

export function unsupportedLanguage({ language }: Pick<SiteSettings, 'language'>, what: 'recording' | 'note'): RunEnd {
  const supported = `The languages are ${LANGUAGES.join(', ')}.`;
  const message =
    what === 'recording'
      ? `The language of the recording is not supported. ${supported}`
      : `The settings ask for a note in a language that is not supported. ${supported}`;
  if (language.unsupported === 'skip') return { status: 'skipped', reason: 'language', message };
  return { status: 'held', reason: 'language', message, advice: 'Document by hand, and cancel the run.' };
}
