// The findings of knowledge/lexicon, as the check of notes needs them.
import type { Language } from '../domain/language.ts';
import type { Lexicon } from '../domain/note/lexicon.ts';
import { type FindFindings, makeFindFindings } from './finding-phrases.ts';
import { LEXICON_FOLDER, type LexiconFiles, type LexiconFinding, readLexicon } from './read-lexicon.ts';

/** Throws if the folder cannot be read. The phrases of a language are made ready with its first text. */
export function openLexicon(folder: string = LEXICON_FOLDER): Lexicon {
  return makeLexicon(readLexicon(folder));
}

function makeLexicon({ findings, phrasesIn }: LexiconFiles): Lexicon {
  const byId = new Map(findings.map((finding) => [finding.id, finding]));
  const above = makeFollow(new Map(findings.map(({ id, implies }) => [id, implies])));
  const below = makeFollow(invert(findings));
  const finders = new Map<Language, FindFindings>();
  const makeFind = (language: Language) =>
    makeFindFindings({ findings, language, phrases: phrasesIn(language), impliedBy: above });
  return {
    mentionsIn(text, language) {
      const find = finders.get(language) ?? makeFind(language);
      finders.set(language, find);
      return find(text);
    },
    kinOf: (id) => new Set([id, ...above(id), ...below(id)]),
    nameOf: (id, language) => byId.get(id)?.name[language] ?? id,
  };
}

function invert(findings: readonly LexiconFinding[]): ReadonlyMap<string, readonly string[]> {
  const pairs = findings.flatMap(({ id, implies }) => implies.map((implied) => ({ id, implied })));
  const groups = Map.groupBy(pairs, ({ implied }) => implied);
  return new Map([...groups].map(([implied, own]) => [implied, own.map(({ id }) => id)]));
}

/** All that is reached from an id over any number of steps, without itself. Each is computed once. */
function makeFollow(steps: ReadonlyMap<string, readonly string[]>): (id: string) => ReadonlySet<string> {
  const known = new Map<string, ReadonlySet<string>>();
  return (id) => {
    const met = known.get(id);
    if (met !== undefined) return met;
    const found = new Set<string>();
    const open = [...(steps.get(id) ?? [])];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (next === id || found.has(next)) continue;
      found.add(next);
      open.push(...(steps.get(next) ?? []));
    }
    known.set(id, found);
    return found;
  };
}
