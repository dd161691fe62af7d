# docker build -t kwhy . && kubectl describe pod web-0 | docker run -i --rm kwhy
FROM rust:1.90-alpine AS build
# the image has a C compiler, for the allocator; its headers are missing
# hadolint ignore=DL3018
RUN apk add --no-cache musl-dev
WORKDIR /src
COPY . .
RUN cargo build --locked --profile dist -p kwhy
RUN install -d target/package && cargo run --locked --quiet -p xtask -- licences >target/package/THIRD-PARTY-LICENSES
# /tmp: what `kwhy events` sorts and memory does not hold
RUN mkdir -p /root-of-image/work && mkdir -m 1777 /root-of-image/tmp && cp target/dist/kwhy LICENSE target/package/THIRD-PARTY-LICENSES /root-of-image/

# one static binary and nothing else: no shell, no libc, no user but a number
FROM scratch
COPY --from=build /root-of-image/ /
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["/kwhy"]
CMD ["-"]
