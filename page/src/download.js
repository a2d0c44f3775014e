/**
 * Hand a file to the reader, without a request.
 * @param {string} name
 * @param {string} text
 * @param {string} type
 */
export function download(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** @param {string} name @param {unknown} value */
export const downloadJson = (name, value) =>
  download(name, `${JSON.stringify(value, null, 2)}\n`, "application/json");

/**
 * @param {string} name
 * @param {string[]} header
 * @param {(string | number | null | undefined)[][]} rows
 */
export function downloadCsv(name, header, rows) {
  const lines = [header, ...rows].map((row) => row.map(cell).join(","));
  // The mark of byte order tells spreadsheets that this is UTF-8.
  download(name, `\ufeff${lines.join("\r\n")}\r\n`, "text/csv");
}

/** @param {string | number | null | undefined} value */
function cell(value) {
  if (typeof value === "number") return String(value);
  let text = value ?? "";
  // A spreadsheet would run this as a formula; that of Japan and China also with wide signs.
  if (/^[=+\-@＝＋－＠\t\r\n]/.test(text) && !Number.isFinite(Number(text))) text = `'${text}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
