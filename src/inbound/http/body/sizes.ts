// Sizes for messages. In the service interface an MB is 1,048,576 bytes.

export const MEBIBYTE = 1_048_576;

export function mebibytes(sizeBytes: number): string {
  const megabytes = sizeBytes / MEBIBYTE;
  return megabytes >= 1 ? `${Number(megabytes.toFixed(1))} MB` : `${sizeBytes} bytes`;
}
