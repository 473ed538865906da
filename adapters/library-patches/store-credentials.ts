import { IamAwsProvider } from 'minio';

type Credentials = Awaited<ReturnType<IamAwsProvider['getCredentials']>>;

/** Keys as one of the ways to sign in gave them. */
export interface StoreKeys {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly sessionToken?: string;
  /** Null: not known, or never. */
  readonly expiresAt: Date | null;
}

/** Minimum remaining lifetime of keys: older ones are renewed, so that no address is signed with keys about to expire. */
const RENEW_BEFORE_MS = 10 * 60_000;
/** A renewal that failed is not tried by every call. */
const AGAIN_MS = 15_000;

/** Keys for the S3 client that are renewed before they end. The base of its providers is not exported, this one of them is. */
export class StoreCredentials extends IamAwsProvider {
  private keys: StoreKeys | null = null;
  private renewing: Promise<StoreKeys> | null = null;
  private triedAtMs = 0;

  /** @param read asks for the keys as they are now */
  constructor(private readonly read: () => Promise<StoreKeys>) {
    super({});
  }

  override async getCredentials(): Promise<Credentials> {
    const keys = await this.current();
    this.setAccessKey(keys.accessKey);
    this.setSecretKey(keys.secretKey);
    this.setSessionToken(keys.sessionToken ?? '');
    // A provider answers for its keys as they do themselves.
    return this as unknown as Credentials;
  }

  /** How long an address may live that is made now; null: as long as the store allows. */
  async remainingS(): Promise<number | null> {
    const { expiresAt } = await this.current();
    return expiresAt === null ? null : Math.floor((expiresAt.getTime() - Date.now()) / 1000);
  }

  private async current(): Promise<StoreKeys> {
    const leftMs = this.keys === null ? 0 : lifeMs(this.keys);
    if (this.keys !== null && leftMs > RENEW_BEFORE_MS) return this.keys;
    if (this.keys !== null && leftMs > 0 && Date.now() - this.triedAtMs < AGAIN_MS) return this.keys;
    this.triedAtMs = Date.now();
    this.renewing ??= this.read().finally(() => {
      this.renewing = null;
    });
    try {
      this.keys = await this.renewing;
    } catch (error) {
      // Keys that still last are better than none: the next call tries again.
      if (this.keys === null || lifeMs(this.keys) <= 0) throw error;
    }
    return this.keys;
  }
}

const lifeMs = ({ expiresAt }: StoreKeys): number =>
  expiresAt === null ? Number.POSITIVE_INFINITY : expiresAt.getTime() - Date.now();
