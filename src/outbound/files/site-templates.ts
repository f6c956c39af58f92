// The custom note templates that a site's settings name: Markdown files beside site.yaml, or beside one that it extends.
import { AppError } from '../../domain/errors.ts';
import type { Problem } from '../../domain/mapping/mapping.ts';
import { parseCustomTemplate } from '../../domain/note/template.ts';
import type { SiteSettings } from '../../domain/site/site.ts';
import { didYouMean } from '../../mapping/mapping.ts';
import type { SourceFile } from './folder-files.ts';
import { problemAt } from './folder-listing.ts';
import type { ParsedFolder } from './parse-folders.ts';
import { TEMPLATE_FILE } from './site-schema.ts';
import type { SettingsRead } from './site-settings.ts';

export type Templates = {
  /** Keyed by file name. */
  readonly texts: ReadonlyMap<string, string>;
  readonly files: readonly SourceFile[];
  readonly problems: readonly Problem[];
};

type Parts = {
  readonly settings: SiteSettings;
  readonly placeOf: SettingsRead['placeOf'];
  /** The folder and those it extends, nearest first. */
  readonly chain: readonly ParsedFolder[];
};

export function readTemplates({ settings, placeOf, chain }: Parts): Templates {
  const texts = new Map<string, string>();
  const files: SourceFile[] = [];
  const problems: Problem[] = [];
  const all = new Map(chain.toReversed().flatMap((folder) => [...folder.files]));
  const known = [...all.keys()].filter((name) => TEMPLATE_FILE.test(name));
  for (const [when, name] of Object.entries(settings.noteType)) {
    if (!TEMPLATE_FILE.test(name) || texts.has(name)) continue;
    const file = all.get(name);
    if (file === undefined) {
      const message = `noteType: there is no template ${name} beside site.yaml${didYouMean(name, known)}`;
      problems.push({ place: placeOf('noteType', when), message });
      continue;
    }
    const text = textOf(file);
    problems.push(...(typeof text === 'string' ? templateProblems(file, text) : [text]));
    if (typeof text === 'string') texts.set(name, text);
    files.push(file);
  }
  return { texts, files, problems };
}

function textOf({ bytes, shown, problem }: SourceFile): string | Problem {
  if (bytes === undefined) return problem ?? problemAt(shown, 'this file cannot be read');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return problemAt(shown, 'this is not UTF-8: save the file with the encoding UTF-8');
  }
}

/** The same messages as the REST API, which accepts such templates too. */
function templateProblems({ shown }: SourceFile, text: string): readonly Problem[] {
  try {
    parseCustomTemplate(text);
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const messages = error.details ?? [error.message];
    return messages.map((message) => {
      const line = Number(/ line (\d+):/.exec(message)?.[1] ?? 1);
      const words = message.replace(/^custom_template: (line \d+: )?/, '').replace(/^custom_template/, 'this template');
      return { place: { file: shown, line, column: 1 }, message: words };
    });
  }
}
