import { SecretOnce } from '../../shared/secret-once';
import { text } from '../../text';
import type { DeviceToken } from '../queries';
import { deviceSnippets } from './device-snippets';

/** The token of a device in the one moment in which it can be seen. Nothing of the page keeps it. */
export function NewDeviceToken({ made, onClose }: { made: DeviceToken; onClose: () => void }) {
  const words = text.edge.token;
  return (
    <SecretOnce
      sentence={words.shownOnce(made.id)}
      secret={made.token}
      copyLabel={words.copy}
      snippets={deviceSnippets(made.token, window.location.origin, words.snippets)}
      use={words.use}
      copySnippet={words.copySnippet}
      done={words.done}
      onClose={onClose}
    />
  );
}
