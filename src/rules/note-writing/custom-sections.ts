// Places statements in the sections of a custom template: the words of title and guidance show which kinds of statements a section holds
// and which topic it has.

import { readTokens } from '../../clinical-text/tokens/tokens.ts';
import { LANGUAGES } from '../../domain/language.ts';
import type { TemplateSection } from '../../domain/note/template.ts';
import { chiefComplaint } from './chief-complaint.ts';
import type { CueFiles } from './cue-files.ts';
import type { PlacedStatements } from './place-statements.ts';
import type { Statement } from './statement.ts';
import type { NoteKind } from './statement-kinds.ts';
import { makeFamilies } from './word-families.ts';

export type PlaceInCustom = (
  statements: readonly Statement[],
  sections: readonly TemplateSection[],
) => PlacedStatements;

type Affinity = {
  readonly key: string;
  readonly kinds: ReadonlyMap<string, number>;
  readonly topics: ReadonlySet<string>;
  readonly titleTopics: ReadonlySet<string>;
  readonly isCatchAll: boolean;
};

const TITLE_WEIGHT = 3;
const TOPIC_WEIGHT = 3;
/** Weight of a kind that is only near to the kinds of the section. */
const NEIGHBOUR_WEIGHT = 0.3;
const TOPIC = 'topic:';
const EVERYTHING = 'everything';

export function makePlaceInCustom({ custom, neighbours, topics, everything }: CueFiles['sections']): PlaceInCustom {
  // The template may be in another language than the talk, so the words of all languages are used.
  const look = makeFamilies(
    [
      ...Object.entries(custom),
      ...Object.entries(topics).map(([name, lists]) => [TOPIC + name, lists] as const),
      [EVERYTHING, everything] as const,
    ].flatMap(([name, lists]) => LANGUAGES.map((language) => [name, lists[language]] as const)),
  );
  const groups = Object.values(neighbours).map((kinds) => new Set(kinds));
  return (statements, sections) => {
    const affinities = sections.map(readAffinity);
    const placed = new Map<string, Statement[]>(sections.map(({ key }) => [key, []]));
    for (const statement of statements) {
      const key = sectionOf(statement, affinities);
      if (key !== undefined) placed.get(key)?.push(statement);
    }
    for (const { key, kinds } of affinities) {
      if ((kinds.get('chief') ?? 0) < TITLE_WEIGHT) continue;
      const own = placed.get(key) ?? [];
      const chief = chiefComplaint(statements).filter((one) => !own.includes(one));
      placed.set(key, [...chief, ...own]);
    }
    return placed;
  };

  function readAffinity({ key, title, guidance = '' }: TemplateSection): Affinity {
    const kinds = new Map<string, number>();
    const about = new Set<string>();
    const titled = new Set<string>();
    let isCatchAll = false;
    for (const [text, weight] of [
      [title, TITLE_WEIGHT],
      [guidance, 1],
    ] as const) {
      for (const word of new Set(readTokens(text).map((token) => token.word))) {
        for (const name of look(word)) {
          if (name === EVERYTHING) isCatchAll ||= weight === TITLE_WEIGHT;
          else if (name.startsWith(TOPIC)) {
            about.add(name);
            if (weight === TITLE_WEIGHT) titled.add(name);
          } else kinds.set(name, (kinds.get(name) ?? 0) + weight);
        }
      }
    }
    return { key, kinds, topics: about, titleTopics: titled, isCatchAll };
  }

  function sectionOf(statement: Statement, affinities: readonly Affinity[]): string | undefined {
    const about = new Set(
      [...statement.words, ...(statement.question?.words ?? [])].flatMap(({ word }) =>
        [...look(word)].filter((name) => name.startsWith(TOPIC)),
      ),
    );
    let best: { key: string; score: number } | undefined;
    for (const affinity of affinities) {
      const score = scoreOf(statement.kind, about, affinity);
      if (score > (best?.score ?? 0)) best = { key: affinity.key, score };
    }
    return best?.key ?? affinities.find(({ isCatchAll }) => isCatchAll)?.key;
  }

  function scoreOf(kind: NoteKind, about: ReadonlySet<string>, { kinds, topics: own, titleTopics }: Affinity): number {
    const direct = kinds.get(kind) ?? 0;
    const fits = direct || nearness(kind, kinds);
    const isTitled = [...about].some((topic) => titleTopics.has(topic));
    const shared = [...about].filter((topic) => own.has(topic)).length;
    const onTopic = isDone(kind) ? shared : shared * TOPIC_WEIGHT + (isTitled ? TITLE_WEIGHT : 0);
    // A section that is named after a topic holds the history and findings of that topic, but no plans.
    if (fits === 0) return !isDone(kind) && (isTitled || kinds.size === 0) ? onTopic : 0;
    return fits + onTopic;
  }

  /** Uses the first group of near kinds of which the section holds any. */
  function nearness(kind: NoteKind, kinds: ReadonlyMap<string, number>): number {
    for (const [place, group] of groups.entries()) {
      const near = group.has(kind) ? Math.max(0, ...[...group].map((other) => kinds.get(other) ?? 0)) : 0;
      if (near > 0) return (Math.min(near, TITLE_WEIGHT) * NEIGHBOUR_WEIGHT) / (1 + place);
    }
    return 0;
  }

  function isDone(kind: NoteKind): boolean {
    return neighbours['done']?.includes(kind) ?? false;
  }
}
