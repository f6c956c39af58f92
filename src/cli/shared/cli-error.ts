// An error with a message for a person: what went wrong and what to do. The command line prints it and exits with 1.

export class CliError extends Error {
  constructor(message: string, parts: { readonly cause?: unknown } = {}) {
    super(message, parts);
    this.name = 'CliError';
  }
}
