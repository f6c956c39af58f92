// Tells zlib's error for output over the limit from the one for data that is not packed.

export function isTooLong(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
}
