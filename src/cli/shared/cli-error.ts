// What went wrong and what to do, in words for a person: the command line prints it and ends with 1.

export class CliError extends Error {
  constructor(message: string, parts: { readonly cause?: unknown } = {}) {
    super(message, parts);
    this.name = 'CliError';
  }
}
