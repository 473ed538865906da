import { Box, Button, FileButton, Group, Text } from '@mantine/core';
import { type DragEvent, type ReactNode, useEffect, useState } from 'react';
import { text } from '../../text';

const words = text.serving.try;

interface DropProps {
  readonly isDisabled: boolean;
  readonly onFile: (file: File) => void;
  /** The picture that was chosen last. */
  readonly children: ReactNode;
}

/** Takes a picture that is dropped, pasted or chosen. */
export function DropArea({ isDisabled, onFile, children }: DropProps) {
  const [isOver, setOver] = useState(false);
  usePastedFile(isDisabled ? null : onFile);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const file = event.dataTransfer.files[0];
    if (file && !isDisabled) onFile(file);
  };
  return (
    <Box
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      p="md"
      mih={260}
      style={{
        border: `1px dashed ${isOver ? 'var(--mantine-primary-color-filled)' : 'var(--line)'}`,
        background: isOver ? 'var(--ground-quiet)' : undefined,
        borderRadius: 6,
        display: 'flex',
        flexDirection: 'column',
        alignItems: 'center',
        justifyContent: 'center',
        gap: 12,
      }}
    >
      {children}
      <Group gap="xs" justify="center">
        <Text size="sm" c="dimmed">
          {words.drop}
        </Text>
        <FileButton
          accept="image/*"
          onChange={(file) => file !== null && onFile(file)}
          inputProps={{ 'aria-label': words.file }}
        >
          {(props) => (
            <Button {...props} size="compact-sm" variant="default" disabled={isDisabled}>
              {words.choose}
            </Button>
          )}
        </FileButton>
      </Group>
    </Box>
  );
}

/** @param onFile null: nothing is taken */
function usePastedFile(onFile: ((file: File) => void) | null): void {
  useEffect(() => {
    if (onFile === null) return;
    const take = (event: ClipboardEvent) => {
      const file = [...(event.clipboardData?.files ?? [])].find(({ type }) => type.startsWith('image/'));
      if (file) onFile(file);
    };
    window.addEventListener('paste', take);
    return () => window.removeEventListener('paste', take);
  }, [onFile]);
}
