// Splits the commands of a document into arguments for the program: `npm run cli -- …`, one on each line, also with variables before it.

export type TypedCommand = {
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
};

const LINE = /^((?:[A-Z_]+=\S+ )*)npm run (?:--silent )?cli -- (.+)$/gm;
/** An argument is quoted, or ends at the next blank. */
const WORD = /"([^"]*)"|'([^']*)'|(\S+)/g;
const SOME_RUN = '0198c5b2-6d1e-7a40-9c55-2f8b1e0d4a77';

export function typedCommands(page: string): readonly TypedCommand[] {
  const text = page.replaceAll('<id>', SOME_RUN).replaceAll('rv_…', 'rv_made_up');
  return [...text.matchAll(LINE)].map(([, variables = '', line = '']) => {
    const withoutRemark = line.replace(/\s+#.*$/, '');
    const words = [...withoutRemark.matchAll(WORD)].map(([, double, single, bare]) => double ?? single ?? bare ?? '');
    const pairs = [...variables.matchAll(/([A-Z_]+)=(\S+)/g)].map(
      ([, name = '', value = '']) => [name, value] as const,
    );
    return { words, environment: Object.fromEntries(pairs) };
  });
}
