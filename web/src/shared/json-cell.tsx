import { Anchor, Code, Modal, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { text } from '../text';

type Json = Readonly<Record<string, unknown>>;

interface JsonCellProps {
  readonly value: Json | null;
  /** What it is, for the dialog and for readers who hear it. */
  readonly label: string;
}

/** JSON in a row of a table: its begin, and all of it when somebody asks. */
export function JsonCell({ value, label }: JsonCellProps) {
  const [isOpen, show] = useDisclosure(false);
  if (value === null || Object.keys(value).length === 0) return '–';
  return (
    <>
      <Anchor component="button" type="button" onClick={show.open} maw={320} display="block" title={label}>
        <Text className="mono" truncate inherit>
          {JSON.stringify(value)}
        </Text>
      </Anchor>
      <Modal
        opened={isOpen}
        onClose={show.close}
        title={label}
        size="lg"
        closeButtonProps={{ 'aria-label': text.shared.close }}
      >
        <Code block tabIndex={0} style={{ overflowX: 'auto' }}>
          {JSON.stringify(value, null, 2)}
        </Code>
      </Modal>
    </>
  );
}
