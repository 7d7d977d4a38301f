import { Icon } from './icon.tsx';

/** Saves a text as a file. The text is made when it is asked for. */
export function DownloadButton({ name, text }: { name: string; text: () => string }) {
  function save(): void {
    const url = URL.createObjectURL(new Blob([text()], { type: 'application/json' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  }
  return (
    <button type="button" className="quiet" onClick={save}>
      <Icon name="download" />
      Download
    </button>
  );
}
