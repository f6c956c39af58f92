// Temporary files for bytes that one request needs again. They are encrypted, and deleted when the request ends.

export type SpooledFile = {
  readonly sizeBytes: number;
  /** Reads the bytes from the start; may be called several times. */
  readonly open: () => AsyncIterable<Uint8Array>;
  /** Deletes the bytes. May be called twice. */
  readonly dispose: () => Promise<void>;
};

export type SpoolWriter = {
  /** Resolves when the bytes are accepted; wait for it before the next call. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
  readonly finish: () => Promise<SpooledFile>;
  /** Deletes the written bytes. May be called at any time, also after `finish` or twice. */
  readonly discard: () => Promise<void>;
};

export type Spool = {
  readonly create: () => Promise<SpoolWriter>;
  /** False if the disk is too full to accept more. */
  readonly hasRoom: () => Promise<boolean>;
};
