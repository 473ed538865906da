import { Component, type ComponentType, lazy, type ReactNode, Suspense, useState } from 'react';
import { text } from '../text';
import { Dialog } from './dialog';
import { ErrorCard } from './error-card';
import { Loading } from './loading';

interface PartLook<P> {
  /** In its place while its code comes; null: nothing. */
  readonly waiting?: ReactNode;
  /** Around the failure, where the part stands over the page. */
  readonly frame?: (card: ReactNode, props: P) => ReactNode;
}

/** Its code did not come. */
class PartMissing extends Error {
  constructor(cause: unknown) {
    super(text.errors.partMissing, { cause });
  }
}

/**
 * A part whose code comes when it is shown. Where it does not come, the part alone says so, and asks for it again on the
 * next try and the next time that it is shown.
 */
export function lazyPart<P extends object>(
  load: () => Promise<ComponentType<P>>,
  { waiting = <Loading />, frame = (card) => card }: PartLook<P> = {},
): ComponentType<P> {
  // React keeps the failure of a lazy component for good, so that each try has one of its own.
  const make = () =>
    lazy(async () => {
      try {
        return { default: await load() };
      } catch (cause) {
        current = make();
        throw new PartMissing(cause);
      }
    });
  let current = make();
  // biome-ignore lint/correctness/noComponentHookFactories: a part is made once, where its module is read
  return function Part(props: P) {
    const [Loaded, setLoaded] = useState(() => current);
    const failed = (error: PartMissing, again: () => void) => {
      const retry = () => {
        setLoaded(() => current);
        again();
      };
      return frame(<ErrorCard error={error} onRetry={retry} />, props);
    };
    return (
      <PartBoundary failed={failed}>
        <Suspense fallback={waiting}>
          <Loaded {...props} />
        </Suspense>
      </PartBoundary>
    );
  };
}

interface BoundaryProps {
  readonly failed: (error: PartMissing, again: () => void) => ReactNode;
  readonly children: ReactNode;
}

class PartBoundary extends Component<BoundaryProps, { readonly error: unknown }> {
  override state = { error: null as unknown };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === null) return this.props.children;
    // What goes wrong in a part that has come is the page's to show.
    if (!(error instanceof PartMissing)) throw error;
    return this.props.failed(error, () => this.setState({ error: null }));
  }
}

const stay = (): void => undefined;

/** Frame of a part that is a dialog. */
export const dialogFrame = (card: ReactNode, { onClose = stay }: { readonly onClose?: () => void }) => (
  <Dialog onClose={onClose} withCloseButton={onClose !== stay}>
    {card}
  </Dialog>
);
