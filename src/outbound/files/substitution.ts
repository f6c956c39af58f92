// Replaces `${NAME}` and `${file:path}` in settings, for values that do not belong in a shared file. Messages never contain the values.

/** The secret files that were read before, because reading settings is synchronous: the text, or what is wrong with the file. */
export type SecretFile = { readonly text: string } | { readonly message: string };

export type Secrets = {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Keyed by the path as written in `${file:path}`. */
  readonly files: ReadonlyMap<string, SecretFile>;
  /** With true, what is missing is a warning. Absent: false. */
  readonly mayLack?: boolean;
};

/** `isLack`: the reference is right, and there is nothing behind it here. */
type Mistake = { readonly at: number; readonly message: string; readonly isLack?: boolean };

export type Substituted = { readonly text: string; readonly mistakes: readonly Mistake[] };

const REFERENCE = /\$\{([^}]*)(\}?)/g;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
const FILE_PREFIX = 'file:';

export function hasReferences(text: string): boolean {
  return text.includes('${');
}

/** Variables that open the engine itself are not a site's secrets and must not reach a chart. */
const OF_THE_ENGINE: ReadonlySet<string> = new Set(
  'MASTER_KEY MASTER_KEY_NEXT OPERATOR_KEY DATABASE_URL AMQP_URL OPENAI_API_KEY DEEPGRAM_API_KEY'.split(' '),
);

/** Returns the paths of the files that a text names. */
export function filesNamedIn(text: string): readonly string[] {
  return [...text.matchAll(REFERENCE)]
    .map(([, inner = '', end]) => (end && inner.startsWith(FILE_PREFIX) ? inner.slice(FILE_PREFIX.length).trim() : ''))
    .filter((path) => path !== '');
}

/** Reports a missing value with the name of the site and replaces it by nothing. */
export function substitute(text: string, secrets: Secrets, site: string): Substituted {
  const mistakes: Mistake[] = [];
  const replaced = text.replace(REFERENCE, (reference: string, inner: string, end: string, at: number) => {
    const found = end === '' ? wrongForm() : look(inner, reference, secrets, site);
    if (typeof found === 'string') return found;
    mistakes.push({ at, ...found });
    return '';
  });
  return { text: replaced, mistakes };
}

function wrongForm(): { readonly message: string } {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the message shows what to write
  return { message: 'write ${NAME} for a variable of the environment, or ${file:path} for the content of a file' };
}

function look(
  inner: string,
  reference: string,
  { environment, files }: Secrets,
  site: string,
): string | Omit<Mistake, 'at'> {
  if (inner.startsWith(FILE_PREFIX)) {
    const path = inner.slice(FILE_PREFIX.length).trim();
    const file = files.get(path);
    if (path === '' || file === undefined) return wrongForm();
    return 'text' in file
      ? file.text
      : { message: `site ${site} needs the file ${path} (${reference}), and ${file.message}`, isLack: true };
  }
  if (!VARIABLE.test(inner)) return wrongForm();
  if (OF_THE_ENGINE.has(inner))
    return { message: `${inner} is the engine's own: give site ${site} a variable of its own` };
  const value = Object.hasOwn(environment, inner) ? environment[inner] : undefined;
  if (value !== undefined && value !== '') return value;
  const lack = value === undefined ? 'is not set' : 'is empty';
  return {
    message: `site ${site} needs the environment variable ${inner} (${reference}), and it ${lack}`,
    isLack: true,
  };
}
