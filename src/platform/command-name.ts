// How the person at the terminal runs the command line: through npm in a checkout, else as `chartwright` (the image, npx).
type Environment = Readonly<Record<string, string | undefined>>;

const IN_CHECKOUT = 'npm run cli --';

export function commandName(environment: Environment): string {
  const script = environment['npm_lifecycle_event'];
  return script === undefined || script === 'npx' ? 'chartwright' : IN_CHECKOUT;
}

/** Messages name commands as in a checkout. Returns the text with the commands that work here. */
export function withCommandName(text: string, environment: Environment): string {
  const name = commandName(environment);
  return name === IN_CHECKOUT ? text : text.replaceAll(/npm run (?:--silent )?cli -- ?/g, `${name} `);
}
